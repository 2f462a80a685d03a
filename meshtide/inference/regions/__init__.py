"""Any mesh divided into unnamed parts, as a person would divide it."""
