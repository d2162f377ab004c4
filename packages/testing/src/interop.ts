import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    interopCollector: string;
    interopFramework: string;
    interopPython: string;
  }
}

/** Returns the path of a Python with LiveKit's SDK, or an empty string if the tier `interop` could not install it. */
export function interopPython(): string {
  return inject('interopPython');
}

/** Returns the path of a Python with LiveKit's agent framework, or an empty string if the tier `interop` could not install it. */
export function interopFramework(): string {
  return inject('interopFramework');
}

/** Returns the path of OpenTelemetry's collector, or an empty string if the tier `interop` could not build it. */
export function interopCollector(): string {
  return inject('interopCollector');
}
