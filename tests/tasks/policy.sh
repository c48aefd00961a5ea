# A policy of one's own, in a file: does it keep what policies promise, and what does it hit beside LRU?
cat > mine.py <<END
class Mru(dict):
    def insert(self, key, size=1, cost=0.0):
        if key in self: raise ValueError(key)
        self[key] = size
    def touch(self, key, cost=0.0): self[key] = self.pop(key)
    def choose(self, incoming=None, may_go=lambda key: True): return next(filter(may_go, reversed(self)), None)
    def remove(self, key, evicted): del self[key]
END
spindle check mine.py:Mru && spindle sweep max_iv --policy lru,mine.py:Mru --minutes 4 --warm-up 0 --seeds 1 --out hits.csv
