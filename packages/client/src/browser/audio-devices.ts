import type { AudioDevice } from './browser-room-snapshot.ts';

/** Chromium's names for the devices that the system has chosen. This client uses null for the system's default. */
const ALIASES = new Set(['default', 'communications']);

export class AudioDevices {
  readonly #onChange: () => void;
  readonly #read = () => {
    void this.read();
  };
  microphones: readonly AudioDevice[] = [];
  speakers: readonly AudioDevice[] = [];
  areKnown = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  watch(): void {
    // A page without TLS has no `mediaDevices`.
    mediaDevices()?.addEventListener('devicechange', this.#read);
    this.#read();
  }

  unwatch(): void {
    mediaDevices()?.removeEventListener('devicechange', this.#read);
  }

  async read(): Promise<void> {
    const all =
      (await mediaDevices()
        ?.enumerateDevices()
        .catch(() => [])) ?? [];
    const canChooseSpeaker = 'setSinkId' in HTMLMediaElement.prototype;
    this.microphones = devicesOf(all, 'audioinput');
    this.speakers = canChooseSpeaker ? devicesOf(all, 'audiooutput') : [];
    this.areKnown = all.some(({ deviceId }) => deviceId !== '');
    this.#onChange();
  }
}

export function mediaDevices(): MediaDevices | undefined {
  return 'mediaDevices' in navigator ? navigator.mediaDevices : undefined;
}

function devicesOf(all: readonly MediaDeviceInfo[], kind: MediaDeviceKind): AudioDevice[] {
  return all
    .filter((device) => device.kind === kind && device.deviceId !== '')
    .filter(({ deviceId }) => !ALIASES.has(deviceId))
    .map(({ deviceId: id, label }) => ({ id, label }));
}
