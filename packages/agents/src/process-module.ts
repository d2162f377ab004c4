import type { AgentRole } from './catalogue.ts';
import { readProcessConfig } from './config.ts';
import type { LauncherModule, ServiceContext } from './launcher-module.ts';
import { notInstalled, ProcessLauncher } from './process-launcher.ts';
import { commandOf, findProgram } from './programs.ts';

export const processModule: LauncherModule = {
  name: 'process',
  configure(env) {
    const { folder, programsFolder, user } = readProcessConfig(env);
    const finderOf = (service: ServiceContext) => (program: string) =>
      (programsFolder && findProgram(programsFolder, program, false)) ||
      service.findProgram(program);
    return {
      name: 'process',
      async open(options) {
        const launcher = await ProcessLauncher.open({
          ...options,
          findProgram: finderOf(options),
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
      openCheck(service) {
        const find = finderOf(service);
        const isInstalled = (role: AgentRole) => commandOf(role, find) !== undefined;
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
