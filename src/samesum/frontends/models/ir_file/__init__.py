"""OpenVINO IR: the .xml is parsed with every DOCTYPE refused, its layers checked, the .bin sliced into constants."""
