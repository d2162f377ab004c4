import type { AgentTemplate, AgentTemplateBody } from '@session/client';
import { type McpDraft, mcpBody, mcpDraftOf } from './mcp-draft.ts';
import { type ToolDraft, toolBody, toolDraftOf } from './tool-draft.ts';

export const TEMPLATE_ROLES = [
  ['light-agent', 'Talks by text'],
  ['core-agent', 'Talks by voice and text'],
] as const;

export interface VariableDraft {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  readonly isRequired: boolean;
  /** Kept as it is stored, because the form has no field for it. */
  readonly maxLength: number | undefined;
}

export interface SuccessorDraft {
  readonly key: number;
  readonly agentTemplateId: string;
  readonly name: string;
  readonly description: string;
}

/** The fields of the form. Everything else in a template stays as it is. */
export interface AgentDraft {
  readonly name: string;
  readonly role: string;
  readonly instructions: string;
  readonly greeting: string;
  readonly modelName: string;
  readonly temperature: string;
  readonly maxOutputTokens: string;
  readonly variables: readonly VariableDraft[];
  readonly tools: readonly ToolDraft[];
  readonly mcpServers: readonly McpDraft[];
  readonly endsConversation: boolean;
  readonly closesSession: boolean;
  readonly handsOver: boolean;
  readonly handoverWords: string;
  readonly waitSeconds: string;
  readonly successors: readonly SuccessorDraft[];
  readonly isNamedOnly: boolean;
}

type Stored = Pick<
  AgentTemplate,
  | 'name'
  | 'role'
  | 'instructions'
  | 'greeting'
  | 'model'
  | 'variables'
  | 'tools'
  | 'mcpServers'
  | 'endConversation'
  | 'answers'
  | 'handover'
>;

export function agentDraftOf(template: Stored | null): AgentDraft {
  const { name, temperature, maxOutputTokens } = template?.model ?? {};
  return {
    name: template?.name ?? '',
    role: template?.role ?? TEMPLATE_ROLES[0][0],
    instructions: template?.instructions ?? '',
    greeting: template?.greeting ?? '',
    modelName: name ?? '',
    temperature: temperature?.toString() ?? '',
    maxOutputTokens: maxOutputTokens?.toString() ?? '',
    variables: (template?.variables ?? []).map((variable, key) => ({
      key,
      name: variable.name,
      value: variable.default ?? '',
      isRequired: variable.required ?? false,
      maxLength: variable.maxLength,
    })),
    tools: (template?.tools ?? []).map(toolDraftOf),
    mcpServers: (template?.mcpServers ?? []).map(mcpDraftOf),
    endsConversation: Boolean(template?.endConversation),
    closesSession: template?.endConversation?.closeSession ?? false,
    handsOver: Boolean(template?.handover?.persons),
    handoverWords: template?.handover?.persons?.say ?? '',
    waitSeconds: template?.handover?.persons?.waitSeconds?.toString() ?? '',
    successors: (template?.handover?.agents ?? []).map(({ description = '', ...agent }, key) => ({
      ...agent,
      key,
      description,
    })),
    isNamedOnly: template?.answers === 'named',
  };
}

/** Returns the body that saving the form sends. Settings of a stored model that have no field in the form stay. */
export function agentBody(
  draft: AgentDraft,
  stored: Pick<AgentTemplate, 'model'> | null,
): AgentTemplateBody {
  const { role, variables, tools, mcpServers } = draft;
  return {
    name: draft.name.trim(),
    role: TEMPLATE_ROLES.find(([name]) => name === role)?.[0] ?? TEMPLATE_ROLES[0][0],
    instructions: draft.instructions.trim() || null,
    greeting: draft.greeting.trim() || null,
    model: modelBody(draft, stored?.model ?? {}),
    variables: variables.filter(({ name }) => name !== '').map(variableBody),
    tools: tools.map(toolBody),
    mcpServers: mcpServers.map(mcpBody),
    endConversation: draft.endsConversation
      ? { ...(draft.closesSession && { closeSession: true }) }
      : null,
    answers: draft.isNamedOnly ? 'named' : null,
    handover: handoverBody(draft),
  };
}

function handoverBody(draft: AgentDraft): AgentTemplate['handover'] {
  const { handsOver, successors } = draft;
  if (!handsOver && successors.length === 0) return null;
  return {
    ...(handsOver && { persons: personsBody(draft) }),
    ...(successors.length > 0 && { agents: successors.map(successorBody) }),
  };
}

function successorBody({ agentTemplateId, name, description }: SuccessorDraft) {
  const text = description.trim();
  return { agentTemplateId, name: name.trim(), ...(text !== '' && { description: text }) };
}

function personsBody({ handoverWords, waitSeconds }: AgentDraft) {
  return {
    ...(handoverWords.trim() !== '' && { say: handoverWords.trim() }),
    ...(waitSeconds !== '' && { waitSeconds: Number(waitSeconds) }),
  };
}

function modelBody(
  { modelName, temperature, maxOutputTokens }: AgentDraft,
  { name: _name, temperature: _temperature, maxOutputTokens: _most, ...others }: Model,
): Model | null {
  const model = {
    ...others,
    ...(modelName.trim() !== '' && { name: modelName.trim() }),
    ...(temperature !== '' && { temperature: Number(temperature) }),
    ...(maxOutputTokens !== '' && { maxOutputTokens: Number(maxOutputTokens) }),
  };
  return Object.keys(model).length > 0 ? model : null;
}

type Model = NonNullable<AgentTemplate['model']>;

function variableBody({ name, value, isRequired, maxLength }: VariableDraft) {
  return {
    name,
    ...(value !== '' && !isRequired && { default: value }),
    ...(isRequired && { required: true }),
    ...(maxLength !== undefined && { maxLength }),
  };
}
