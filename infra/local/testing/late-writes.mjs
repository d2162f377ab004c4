import net from 'node:net';

// Preloaded by `npm run test:often -- --late <ms>`. Delays what a process of Node sends over TCP at random, and keeps its order, so
// that a test that relies on one connection being faster than another fails.

const most = Number(process.env['LATE_WRITES_MS']);
// Tests may replace the global timers.
const { setTimeout, clearTimeout } = globalThis;
const write = Reflect.get(net.Socket.prototype, '_writeGeneric');
const destroy = Reflect.get(net.Socket.prototype, '_destroy');
const late = new Map();

Object.assign(net.Socket.prototype, {
  _writeGeneric(...given) {
    const { _handle: handle } = this;
    const ms = handle?.constructor.name === 'TCP' ? lateness() : 0;
    const send = () => {
      clearTimeout(timer);
      late.delete(this);
      write.apply(this, given);
    };
    const timer = ms > 0 ? setTimeout(send, ms) : undefined;
    if (timer) late.set(this, send);
    else send();
  },
  _destroy(...given) {
    late.get(this)?.();
    destroy.apply(this, given);
  },
});

// Sends what is still delayed, because without the delay the kernel would have sent it.
process.on('exit', () => {
  for (const send of late.values()) send();
});

function lateness() {
  const share = Math.random();
  if (share < 0.5) return 0;
  return Math.random() * most * (share < 0.9 ? 0.04 : share < 0.99 ? 0.2 : 1);
}
