"""What studies of the HP3000 run: functions of a seed, a window and parameters, apart from what is drawn of them."""
