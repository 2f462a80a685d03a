"""Train the model that gives parts their names, from generated bodies alone."""
