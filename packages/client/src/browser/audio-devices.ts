import type { AudioDevice } from './browser-room-snapshot.ts';

/** Names that Chromium gives to what the system has chosen. The system's default is null here. */
const ALIASES = new Set(['default', 'communications']);

/** The microphones and speakers of this machine, as far as the browser tells. */
export class AudioDevices {
  readonly #onChange: () => void;
  readonly #read = () => {
    void this.read();
  };
  microphones: readonly AudioDevice[] = [];
  speakers: readonly AudioDevice[] = [];
  /** Whether the browser has told which devices there are. */
  areKnown = false;

  /** `onChange` is called after the lists were read. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Reads the lists whenever a device is plugged in or out. */
  watch(): void {
    // A page without TLS has no `mediaDevices`.
    mediaDevices()?.addEventListener('devicechange', this.#read);
    this.#read();
  }

  unwatch(): void {
    mediaDevices()?.removeEventListener('devicechange', this.#read);
  }

  /** Reads the lists. Until the person has allowed a microphone, the browser names no device. */
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

/** Returns the browser's access to devices, if the page may have it. */
export function mediaDevices(): MediaDevices | undefined {
  return 'mediaDevices' in navigator ? navigator.mediaDevices : undefined;
}

function devicesOf(all: readonly MediaDeviceInfo[], kind: MediaDeviceKind): AudioDevice[] {
  return all
    .filter((device) => device.kind === kind && device.deviceId !== '')
    .filter(({ deviceId }) => !ALIASES.has(deviceId))
    .map(({ deviceId: id, label }) => ({ id, label }));
}
