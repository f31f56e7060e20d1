"""How far off models are: approaches judged on configurations that none of them was learned from."""
