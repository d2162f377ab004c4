import { dispose } from '@livekit/rtc-node';
import { sdkInternals } from './sdk-internals.ts';

/**
 * Keeps LiveKit's SDK from logging, for the whole process. Call it before the first room; later calls do nothing. Without it,
 * each native log line becomes an event for every room, and connecting 100 rooms takes 79 s instead of 6 s. The SDK has no
 * setting for this.
 */
export function quietSdk(): void {
  // The native half reads the variable when it is initialised, on the first access to the internals.
  process.env['RUST_LOG'] ??= 'off';
  const { log, version, native, client } = sdkInternals();
  // The log level is process-wide too, so it shows whether this function has run.
  if (log.level === 'silent') return;
  const receive = (event: Uint8Array) =>
    client.emit('ffi_event', native.FfiEvent.fromBinary(event));
  native.livekitInitialize(receive, false, version);
  log.level = 'silent';
}

/** Shuts down LiveKit's SDK, because the process would otherwise never end. No room can be joined afterwards. */
export async function disposeSdk(): Promise<void> {
  await dispose();
}
