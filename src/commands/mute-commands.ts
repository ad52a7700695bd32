/** Commands for times of maintenance, by API. */
import type { Client, Result } from '../../client/src/index.ts';
import { byApi } from './api.ts';
import { type Command, type CommandInput, durationMs, option, required, UsageError } from './command.ts';
import { findGroup } from './group-commands.ts';

type Mute = Result<'muteAsset'>;

export const muteCommands: Command[] = [
  {
    words: ['mute', 'asset'],
    args: 'SERIAL --for 2h --reason TEXT',
    summary: 'lets nobody be notified of a device for the time of its maintenance, at most 30d',
    ...byApi(async ({ dms }, input) => {
      const serial = required(input, 0, 'SERIAL');
      const assetId = await findAsset(dms, serial);
      const mute = await dms.muteAsset({ assetId, body: muteOf(input) });
      return { text: describe(serial, mute), value: mute };
    }),
  },
  {
    words: ['mute', 'group'],
    args: 'NAME --for 2h --reason TEXT',
    summary: 'does the same for all members of a group',
    ...byApi(async ({ dms }, input) => {
      const { id: groupId, name } = await findGroup(dms, required(input, 0, 'NAME'));
      const mute = await dms.muteGroup({ groupId, body: muteOf(input) });
      return { text: describe(name, mute), value: mute };
    }),
  },
  {
    words: ['mute', 'end'],
    args: '[SERIAL] [--group NAME]',
    summary: 'ends the maintenance of a device or a group; alerts that are open are notified',
    ...byApi(async ({ dms }, input) => {
      const group = option(input, 'group');
      const [serial] = input.positionals;
      if ((group === undefined) === (serial === undefined))
        throw new UsageError('Name a SERIAL, or --group NAME');
      if (group === undefined) await dms.unmuteAsset({ assetId: await findAsset(dms, serial as string) });
      else await dms.unmuteGroup({ groupId: (await findGroup(dms, group)).id });
      const text = `${group ?? serial} is not muted any more`;
      return { text, value: {} };
    }),
  },
];

const findAsset = async (dms: Client, serial: string): Promise<string> =>
  (await dms.getDeviceConfig({ serial })).assetId;

function muteOf(input: CommandInput): { until: string; reason: string } {
  const until = new Date(Date.now() + durationMs(required(input, 'for'), 'for'));
  return { until: until.toISOString(), reason: required(input, 'reason') };
}

const describe = (name: string, { until, reason }: Mute): string =>
  `${name} is muted until ${until}: ${reason}`;
