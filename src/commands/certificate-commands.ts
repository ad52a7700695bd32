import type { Command } from './command.ts';

export const certificateCommands: Command[] = [];
