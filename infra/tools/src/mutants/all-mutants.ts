import type { MutatedFile } from '../mutant.ts';
import { agentKit } from './agent-kit.ts';
import { agents } from './agents.ts';
import { api } from './api.ts';
import { apiTime } from './api-time.ts';
import { client } from './client.ts';
import { contract } from './contract.ts';
import { conversation } from './conversation.ts';
import { db } from './db.ts';
import { dbFollowers } from './db-followers.ts';
import { recorder } from './recorder.ts';
import { recorderTime } from './recorder-time.ts';
import { retention } from './retention.ts';
import { shared } from './shared.ts';

/** All mutants of the repository. Tests kill each of them: a mutant that no test can notice is not in the list. */
export const allMutants: readonly MutatedFile[] = [
  ...contract,
  ...recorder,
  ...recorderTime,
  ...db,
  ...dbFollowers,
  ...retention,
  ...agents,
  ...agentKit,
  ...conversation,
  ...client,
  ...api,
  ...apiTime,
  ...shared,
];
