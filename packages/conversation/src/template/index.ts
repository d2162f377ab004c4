export { agentVariables, faultsOfVariables } from './agent-variables.ts';
export { type RunTemplate, templateEnvironment, variableValues } from './filled-template.ts';
export { mapTexts } from './map-texts.ts';
