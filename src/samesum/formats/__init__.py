"""What an array and a number type is: names of element types, packing, conversion, rounding, limits."""
