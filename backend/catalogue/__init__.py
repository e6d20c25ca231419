"""Places, hotels and trains as rows; the only writer of the catalogue."""
