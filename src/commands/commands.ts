import { certificateCommands } from './certificate-commands.ts';
import type { Command } from './command.ts';
import { deviceCommands } from './device-commands.ts';
import { fleetCommands } from './fleet-commands.ts';
import { keyCommands } from './key-commands.ts';
import { operatorCommands } from './operator-commands.ts';
import { organizationCommands } from './organization-commands.ts';
import { readingCommands } from './reading-commands.ts';
import { schemaCommands } from './schema-commands.ts';
import { temporalCommands } from './temporal-commands.ts';

export const commands: Command[] = [
  ...organizationCommands,
  ...keyCommands,
  ...operatorCommands,
  ...certificateCommands,
  ...deviceCommands,
  ...fleetCommands,
  ...readingCommands,
  ...schemaCommands,
  ...temporalCommands,
];
