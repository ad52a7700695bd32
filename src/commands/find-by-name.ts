/** Ids of devices and groups, which people know by serial number and by name. */
import { type Client, each, type Result } from '../../client/src/index.ts';
import { toName } from '../http/one-line.ts';
import { notFound } from '../process/errors.ts';
import { UUID } from '../process/uuid.ts';

/** The maximum of the service, because a name is searched in all groups. */
const PAGE = { limit: 500 };

export const findAssetId = async (dms: Client, typed: string): Promise<string> =>
  UUID.test(typed) ? typed : (await dms.getDeviceConfig({ serial: typed })).assetId;

export const findGroupId = async (dms: Client, typed: string): Promise<string> =>
  UUID.test(typed) ? typed : (await findGroup(dms, typed)).id;

/** Upper case first: "ß" becomes "ss", and "ς" becomes "σ". */
const withoutCase = (name: string): string => toName(name).toUpperCase().toLowerCase();

/** Finds a group by name, compared without case. */
async function findGroup(dms: Client, name: string): Promise<Result<'getGroup'>> {
  for await (const group of each(dms.listGroups, PAGE))
    if (withoutCase(group.name) === withoutCase(name)) return group;
  throw notFound(`There is no group "${name}": see dms groups list`);
}
