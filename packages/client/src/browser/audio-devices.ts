import type { AudioDevice } from './browser-room-snapshot.ts';

/** Names that Chromium gives to what the system has chosen. The system's default is null here. */
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
