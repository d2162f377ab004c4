import { v7 as uuidv7 } from 'uuid';
import type { AgentTemplateContent } from '../src/queries/agent-templates/agent-template-changes.ts';
import type { TestProject } from './project.ts';

/** Returns an agent template to insert, to be varied. */
export function newAgentTemplate(
  { projectId, userId: by }: Pick<TestProject, 'projectId' | 'userId'>,
  part: Partial<AgentTemplateContent> = {},
): AgentTemplateContent {
  const definition = { greeting: 'Hello.', tools: [] };
  const named = { name: 'Front desk', role: 'light-agent', definition };
  return { id: uuidv7(), projectId, ...named, by, ...part };
}
