"""Learning to divide any mesh from generated shapes."""
