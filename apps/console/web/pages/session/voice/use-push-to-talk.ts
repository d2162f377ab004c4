import type { BrowserRoom } from '@session/client/browser';
import { useEffect, useEffectEvent, useRef } from 'react';
import { usePageKeys } from '../../../service/use-page-keys.ts';
import { toggleMicrophone } from './microphone-toggle.ts';

/**
 * Talks while Space is held, and mutes or unmutes with M. Both keys are off inside fields, and Space also on elements that it
 * presses.
 */
export function usePushToTalk(room: BrowserRoom): void {
  const isHeld = useRef(false);
  const talk = async () => {
    await toggleMicrophone(room);
    // The key was released before the browser had opened the microphone.
    if (!isHeld.current) await room.microphone.mute();
  };
  usePageKeys((event) => {
    if (event.key.toLowerCase() === 'm' && !event.repeat) void toggleMicrophone(room);
    if (event.key !== ' ' || isPressable(event.target)) return;
    // Space would scroll the list.
    event.preventDefault();
    const { microphone } = room.getSnapshot();
    if (event.repeat || (microphone !== 'off' && microphone !== 'muted')) return;
    isHeld.current = true;
    void talk();
  });
  const release = useEffectEvent(() => {
    if (!isHeld.current) return;
    isHeld.current = false;
    void room.microphone.mute();
  });
  useEffect(() => {
    const onKeyUp = ({ key }: KeyboardEvent) => {
      if (key === ' ') release();
    };
    // A user who leaves the window while talking must not stay audible.
    const onBlur = () => release();
    addEventListener('keyup', onKeyUp);
    addEventListener('blur', onBlur);
    return () => {
      removeEventListener('keyup', onKeyUp);
      removeEventListener('blur', onBlur);
    };
  }, []);
}

function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, a[href], summary, [role]') !== null;
}
