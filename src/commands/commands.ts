import { readApiDocument } from './api-document-file.ts';
import { assetCommands } from './asset-commands.ts';
import { backupCommands } from './backup-commands.ts';
import { certificateCommands } from './certificate-commands.ts';
import type { Command } from './command.ts';
import { completionCommands } from './completion-commands.ts';
import { deviceCommands } from './device-commands.ts';
import { doctorCommand } from './doctor-command.ts';
import { fleetCommands } from './fleet-commands.ts';
import { jobCommands } from './job-commands.ts';
import { keyCommands } from './key-commands.ts';
import { listenCommand } from './listen-command.ts';
import { loginCommands } from './login-commands.ts';
import { createOperationCommands } from './operation-commands.ts';
import { OPERATION_LAYOUTS } from './operation-layout.ts';
import { operatorCommands } from './operator-commands.ts';
import { organizationCommands } from './organization-commands.ts';
import { organizationSetupCommand } from './organization-setup-command.ts';
import { schemaCommands } from './schema-commands.ts';
import { tailCommand } from './tail-command.ts';
import { temporalCommands } from './temporal-commands.ts';
import { webhookCommands } from './webhook-commands.ts';

export const commands: Command[] = [
  ...loginCommands,
  doctorCommand,
  listenCommand,
  ...webhookCommands,
  tailCommand,
  ...jobCommands,
  ...assetCommands,
  ...createOperationCommands(readApiDocument(), OPERATION_LAYOUTS),
  ...organizationCommands,
  organizationSetupCommand,
  ...keyCommands,
  ...operatorCommands,
  ...certificateCommands,
  ...deviceCommands,
  ...fleetCommands,
  ...schemaCommands,
  ...backupCommands,
  ...temporalCommands,
  ...completionCommands(() => commands),
];
