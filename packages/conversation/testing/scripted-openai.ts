import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { makeCertificate } from './certificate.ts';
import type { ScriptedModel } from './scripted-model.ts';

const HOST = 'api.openai.com';

export interface ScriptedOpenAi extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a proxy in which `model` answers as OpenAI, with a certificate of its own in `folder`. */
export async function startScriptedOpenAi(
  { port }: Pick<ScriptedModel, 'port'>,
  folder: string,
): Promise<ScriptedOpenAi> {
  const certificate = makeCertificate(HOST);
  const certFile = path.join(folder, 'openai.pem');
  await writeFile(certFile, certificate.cert);
  const proxy = createServer();
  proxy.on('connect', ({ url }, socket) => {
    if (url !== `${HOST}:443`) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const secure = new TLSSocket(socket, { isServer: true, ...certificate });
    const upstream = connect(port, '127.0.0.1');
    secure.pipe(upstream).pipe(secure);
    for (const end of [secure, upstream, socket]) {
      end.on('error', () => {});
      end.on('close', () => {
        for (const other of [secure, upstream]) other.destroy();
      });
    }
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const address = proxy.address();
  const proxyUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return {
    env: {
      HTTPS_PROXY: proxyUrl,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_USE_ENV_PROXY: '1',
      NODE_EXTRA_CA_CERTS: certFile,
    },
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
