import { createTestDatabase, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { firstFreePort } from '../supervision/ports.ts';
import { checkDatabase, checkMediaServer } from './external-servers.ts';

test('a database that answers passes; a wrong password and a closed port are named', async () => {
  await using database = await createTestDatabase({ isMigrated: false });
  await checkDatabase(database.url);
  const url = new URL(database.url);
  url.password = 'wrong';
  const failure = checkDatabase(url.href);
  await expect(failure).rejects.toThrow(/^DATABASE_URL cannot be used: password authentication/);
  await expect(failure).rejects.not.toThrow('wrong');
  url.port = String(await firstFreePort([], '127.0.0.1'));
  await expect(checkDatabase(url.href)).rejects.toThrow('ECONNREFUSED');
});

test('a media server that answers passes; wrong keys and a closed port are named', async () => {
  const server = testMedia();
  await checkMediaServer(server);
  const apiSecret = 'wrong'.repeat(8);
  const failure = checkMediaServer({ ...server, apiSecret });
  await expect(failure).rejects.toThrow(
    'MEDIA_URL cannot be used with MEDIA_API_KEY and MEDIA_API_SECRET',
  );
  await expect(failure).rejects.not.toThrow('wrongwrong');
  const url = `ws://127.0.0.1:${await firstFreePort([], '127.0.0.1')}`;
  await expect(checkMediaServer({ ...server, url })).rejects.toThrow('ECONNREFUSED');
});
