"""What turns and draws a spacecraft: gyroscopes, magnets, gravity; one file each."""
