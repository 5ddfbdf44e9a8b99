import { useEffect, useState } from 'preact/hooks';

/// A value that many may watch. Setting the same value again tells nobody.
export class Store<T> {
  private watchers = new Set<(value: T) => void>();
  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const watcher of [...this.watchers]) watcher(value);
  }

  /// Calls `watcher` at every change until the returned function is called.
  watch(watcher: (value: T) => void): () => void {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }
}

/// The store's value; the component is drawn again when it changes.
export function useStore<T>(store: Store<T>): T {
  const [, again] = useState({});
  const value = store.get();
  useEffect(() => {
    // It may have changed between drawing and watching.
    if (!Object.is(store.get(), value)) again({});
    return store.watch(() => again({}));
  }, [store]);
  return value;
}
