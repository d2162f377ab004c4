import type { AgentRole } from './catalogue.ts';
import { readProcessConfig } from './config.ts';
import type { LauncherModule } from './launcher-module.ts';
import { notInstalled, ProcessLauncher } from './process-launcher.ts';
import { commandOf } from './programs.ts';

export const processModule: LauncherModule = {
  name: 'process',
  configure(env) {
    const { folder, user } = readProcessConfig(env);
    return {
      name: 'process',
      async open(options) {
        const launcher = await ProcessLauncher.open({
          ...options,
          folder,
          user,
          machineEnv: process.env,
        });
        const dispose = async () => await launcher[Symbol.asyncDispose]();
        return {
          launcher,
          deadProcessIds: launcher.deadProcessIds,
          [Symbol.asyncDispose]: dispose,
        };
      },
      openCheck({ findProgram }) {
        const isInstalled = (role: AgentRole) => commandOf(role, findProgram) !== undefined;
        return {
          isInstalled,
          async check({ role }) {
            if (!isInstalled(role)) throw notInstalled(role);
          },
          async [Symbol.asyncDispose]() {},
        };
      },
    };
  },
};
