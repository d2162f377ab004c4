import { Id } from '@session/contract';
import { projectParams } from '../projects/project-schema.ts';

export const memberParams = projectParams.extend({ userId: Id });
