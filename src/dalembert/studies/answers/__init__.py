"""What a study found: estimates, sensitivities, charts, labelled arrays and files."""
