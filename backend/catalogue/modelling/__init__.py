"""The modelled part of the seed catalogue: rules that compute trains and hotels from authored facts."""
