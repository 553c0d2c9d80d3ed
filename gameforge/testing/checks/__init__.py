"""The checks of each kind of component, one module per kind; `CONTRACT` in each module lists them."""
