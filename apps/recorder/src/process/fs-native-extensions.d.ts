// The package comes without types. Only what we use of it.
declare module 'fs-native-extensions' {
  /** Locks the whole file for this descriptor alone. Returns false when another descriptor has locked it. */
  export function tryLock(descriptor: number): boolean;
}
