type Holders = (() => (string | undefined)[])[];

/** Notes what a page holds from now on, and returns a function that names what it holds still. */
export function watchHeld(): () => string[] {
  const holders: Holders = [];
  watchTimers(holders);
  watchListeners(holders, 'document', document);
  watchListeners(holders, 'window', window);
  watchListeners(holders, 'devices', navigator.mediaDevices);
  watchConnections(holders);
  watchMicrophones(holders);
  return () => holders.flatMap((held) => held()).filter((name) => name !== undefined);
}

function watchTimers(holders: Holders): void {
  const timers = new Set<unknown>();
  holders.push(() => Array.from(timers, () => 'timer'));
  const { setInterval: start, clearInterval: end } = globalThis;
  const startNoted = (...given: Parameters<typeof start>) => {
    const timer = start(...given);
    timers.add(timer);
    return timer;
  };
  const endNoted: typeof end = (timer) => {
    timers.delete(timer);
    end(timer);
  };
  Object.assign(globalThis, { setInterval: startNoted, clearInterval: endNoted });
}

/** LiveKit's SDK removes listeners for devices only when a room is collected, so these are found by their options. */
function watchListeners(holders: Holders, name: string, target: EventTarget | undefined): void {
  if (!target) return;
  const known = new Map<unknown, string>();
  holders.push(() => [...known.values()]);
  const add = target.addEventListener.bind(target);
  const remove = target.removeEventListener.bind(target);
  target.addEventListener = (...given: Parameters<typeof add>) => {
    const [type, listener, options] = given;
    const signal = typeof options === 'object' ? options.signal : undefined;
    if (!(signal && target === navigator.mediaDevices)) known.set(listener, `${name} ${type}`);
    signal?.addEventListener('abort', () => known.delete(listener));
    add(...given);
  };
  target.removeEventListener = (...given: Parameters<typeof remove>) => {
    known.delete(given[1]);
    remove(...given);
  };
}

function watchConnections(holders: Holders): void {
  const { WebSocket: Socket, RTCPeerConnection: Peer, AudioContext: Context } = window;
  window.WebSocket = class extends Socket {
    constructor(...given: ConstructorParameters<typeof Socket>) {
      super(...given);
      holders.push(() => [this.readyState < Socket.CLOSING ? 'socket' : undefined]);
    }
  };
  window.RTCPeerConnection = class extends Peer {
    constructor(...given: ConstructorParameters<typeof Peer>) {
      super(...given);
      holders.push(() => [this.connectionState === 'closed' ? undefined : 'peer connection']);
    }
  };
  window.AudioContext = class extends Context {
    constructor(...given: ConstructorParameters<typeof Context>) {
      super(...given);
      holders.push(() => [this.state === 'closed' ? undefined : 'audio context']);
    }
  };
}

function watchMicrophones(holders: Holders): void {
  // A page without TLS has none.
  if (!('mediaDevices' in navigator)) return;
  const { mediaDevices } = navigator;
  const open = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const stream = await open(constraints);
    for (const track of stream.getTracks()) {
      holders.push(() => [track.readyState === 'ended' ? undefined : 'track']);
    }
    return stream;
  };
}
