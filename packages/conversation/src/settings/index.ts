// Reads the variables of conversational agents. Loads no model client, because the API imports this module.
export { checkTemplate, loadSettings } from './read-settings.ts';
export { secretOrigins } from './secret-origins.ts';
export {
  type ConversationSettings,
  KEY_WORDS,
  type ModelSettings,
  type SpeechSettings,
} from './settings.ts';
export { TEMPLATE_VARIABLES } from './variables.ts';
