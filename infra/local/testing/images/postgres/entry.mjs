// Does in the tests' image what the public image of PostgreSQL does at its first start: creates a database for its user.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const bin = '/opt/postgres/bin';
const data = '/var/lib/postgresql/data';
const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = process.env;

if (!existsSync(data)) {
  const draft = `${data}.draft`;
  rmSync(draft, { recursive: true, force: true });
  writeFileSync('/tmp/password', password, { mode: 0o600 });
  const login = [`--username=${user}`, '--pwfile=/tmp/password', '--auth=scram-sha-256'];
  const options = ['--locale=C', '--encoding=UTF8', '--no-sync'];
  execFileSync(`${bin}/initdb`, [`--pgdata=${draft}`, ...login, ...options], { stdio: 'inherit' });
  rmSync('/tmp/password');
  appendFileSync(`${draft}/pg_hba.conf`, 'host all all all scram-sha-256\n');
  execFileSync(`${bin}/postgres`, ['--single', '-D', draft, 'postgres'], {
    input: `create database ${database};\n`,
  });
  renameSync(draft, data);
}
const settings = ['listen_addresses=*', 'unix_socket_directories=', 'fsync=off'];
const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
const server = spawn(`${bin}/postgres`, args, { stdio: 'inherit' });
// A fast shutdown: PostgreSQL itself waits for its clients at SIGTERM.
process.on('SIGTERM', () => server.kill('SIGINT'));
server.on('exit', (code) => process.exit(code ?? 1));
