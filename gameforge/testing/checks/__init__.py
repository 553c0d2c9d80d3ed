"""The checks of each kind of component, one module a kind; `CONTRACT` in each lists them."""
