import { run } from '../supervision/tool.ts';
import { SpeechUnavailable } from './speech-unavailable.ts';

const OLDEST = [3, 10] as const;
/** A machine may have a newer Python next to an old `python3`. */
const NAMES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
/** Prints version and path; fails where Debian's package of the module `venv` is missing. */
const QUESTION =
  'import ensurepip, sys, venv; print(*sys.version_info[:3], sys.executable, sep="\\n")';

export interface Python {
  readonly command: string;
  readonly version: string;
}

/** Throws a SpeechUnavailable that says what is missing: Python, a newer one, or its module `venv`. */
export async function findPython(env: NodeJS.ProcessEnv): Promise<Python> {
  const failures: string[] = [];
  for (const name of NAMES) {
    try {
      const answer = await run(name, ['-c', QUESTION], { env });
      const [major = '', minor = '', patch = '', command = name] = answer.trim().split('\n');
      const version = `${major}.${minor}.${patch}`;
      if (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1]) return { command, version };
      failures.push(`${name} is ${version}`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : '';
      if (reason.includes('ensurepip') || reason.includes('venv'))
        failures.push(`${name} lacks its module venv (on Debian: apt install python3-venv)`);
    }
  }
  const found = failures.length > 0 ? failures.join(', ') : 'there is none on the PATH';
  throw new SpeechUnavailable(
    `Python ${OLDEST.join('.')} or newer is needed, and ${found}: install it and start again.`,
  );
}
