import { mediaDevices } from './audio-devices.ts';
import type { MicrophoneState } from './browser-room-snapshot.ts';

type MicrophoneFault = Extract<MicrophoneState, 'denied' | 'absent' | 'insecure' | 'failed'>;

export type OpenedMicrophone =
  | { readonly track: MediaStreamTrack; readonly isDefault: boolean }
  | { readonly fault: MicrophoneFault };

const FAULTS: Readonly<Record<string, MicrophoneFault>> = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'absent',
  OverconstrainedError: 'absent',
};

const QUALITY = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };

export async function openMicrophone(id: string | null): Promise<OpenedMicrophone> {
  const devices = mediaDevices();
  if (!devices) return { fault: 'insecure' };
  const opened = await openOne(devices, id);
  if (id === null || !('fault' in opened) || opened.fault !== 'absent') return opened;
  return await openOne(devices, null);
}

async function openOne(devices: MediaDevices, id: string | null): Promise<OpenedMicrophone> {
  try {
    const device = id === null ? {} : { deviceId: { exact: id } };
    const stream = await devices.getUserMedia({ audio: { ...QUALITY, ...device } });
    const [track] = stream.getAudioTracks();
    return track ? { track, isDefault: id === null } : { fault: 'absent' };
  } catch (error) {
    const name = error instanceof DOMException ? error.name : '';
    return { fault: FAULTS[name] ?? 'failed' };
  }
}
