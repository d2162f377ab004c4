import { dispose } from '@livekit/rtc-node';
import { sdkInternals } from './sdk-internals.ts';

/**
 * Keeps LiveKit's SDK from logging, for the whole process; call it before the first room. By itself the SDK turns each
 * line of its native half into an event for every room (with 100 rooms 79 s to connect them all, instead of 6), prints
 * others to stderr, and debug lines to stdout, and has no setting for any of it. Harmless when called again.
 */
export function quietSdk(): void {
  // Rust reads it when it is initialised, which the first look at the internals does.
  process.env['RUST_LOG'] ??= 'off';
  const { log, version, native, client } = sdkInternals();
  // The level marks that all is done: like the rest of this, it belongs to the process.
  if (log.level === 'silent') return;
  const receive = (event: Uint8Array) =>
    client.emit('ffi_event', native.FfiEvent.fromBinary(event));
  native.livekitInitialize(receive, false, version);
  log.level = 'silent';
}

/** Ends LiveKit's SDK, at the end of a program that was in a room: without it the process never ends by itself. */
export async function disposeSdk(): Promise<void> {
  await dispose();
}
