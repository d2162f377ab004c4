import { once } from 'node:events';
import { createServer } from 'node:http';

// Receives spans in a process of its own, and looks at none: what a receiver costs is not measured.

const server = createServer((request, response) => {
  request.resume().once('end', () => response.end());
});
await once(server.listen(0, '127.0.0.1'), 'listening');
process.on('message', (message) => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  if (message === 'url') process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.send?.('ready');
