// The package has no types. Only the function that we use is declared.
declare module 'fs-native-extensions' {
  /** Locks the whole file for this descriptor alone. Returns false when another descriptor has locked it. */
  export function tryLock(descriptor: number): boolean;
}
