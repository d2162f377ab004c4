import { dispose } from '@livekit/rtc-node';
import { sdkInternals } from './sdk-internals.ts';

/**
 * Keeps LiveKit's SDK from logging, for the whole process. Call it before the first room; another call has no effect. By itself
 * the SDK turns each log line of its native half into an event for every room: connecting 100 rooms then takes 79 s instead of
 * 6 s. It prints other lines to stderr, and debug lines to stdout. None of these has a setting.
 */
export function quietSdk(): void {
  // The native half reads the variable when it is initialised, on the first access to the internals.
  process.env['RUST_LOG'] ??= 'off';
  const { log, version, native, client } = sdkInternals();
  // The level shows that this function has run: like the rest, it belongs to the whole process.
  if (log.level === 'silent') return;
  const receive = (event: Uint8Array) =>
    client.emit('ffi_event', native.FfiEvent.fromBinary(event));
  native.livekitInitialize(receive, false, version);
  log.level = 'silent';
}

/**
 * Shuts down LiveKit's SDK. Call it at the end of a program that joined a room: otherwise the process never ends by itself.
 * Later attempts to join a room time out.
 */
export async function disposeSdk(): Promise<void> {
  await dispose();
}
