"""Kane's equations of floating trees about their mass centres, with the motion of a floating frame of the whole as speeds."""
