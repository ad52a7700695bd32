import type { Values } from './form-fields.ts';
import type { FormLayout } from './form-layout.ts';

const section = 'Fleet';
const device = ({ assetId }: Record<string, string>) => `/operator/devices/${assetId}`;
const about = {
  operation: 'getAsset',
  name: ({ name, serialNumber }: Values) => (name === serialNumber ? `${name}` : `${name}, ${serialNumber}`),
};
const ofDevice = { section, about, back: device };
const looks = {
  groupId: { label: 'Group', choices: 'groups' },
  buildingId: { label: 'Building' },
  spaceId: { label: 'Space' },
} as const;

/** Fields of a maintenance, of a device or of a group. */
export const MUTE_LOOKS = {
  from: { label: 'Begins', need: 'empty: now', help: 'At most 30 days ahead.' },
  until: {
    label: 'For',
    hours: [1, 2, 4, 8, 24, 72, 168],
    since: 'from',
    orAt: 'or until',
    help: 'Then it ends by itself, at most 30 days after it begins. A time counts in place of the hours.',
  },
} as const;

/** The only warning that answers about serial numbers have. */
const adds = {
  said: 'The serial number is not 12 hexadecimal digits, which all known loggers have: check it for typing errors.',
  isNeeded: ({ warnings }: Values) => warnings !== undefined,
};

export const ASSET_FORMS = {
  registerAsset: {
    title: 'Register a logger',
    submit: 'Register',
    section,
    looks,
    back: () => '/operator/fleet',
    next: (_, { id }) => `/operator/devices/${id}`,
    said: 'The logger is registered: its readings are stored from now on.',
    adds,
  },
  changeAsset: {
    ...ofDevice,
    title: 'Edit',
    submit: 'Save',
    looks: { ...looks, name: { need: '' } },
    changes: { operation: 'getAsset' },
    said: 'The device is saved.',
  },
  replaceHardware: {
    ...ofDevice,
    title: 'Replace the logger',
    submit: 'Replace',
    question:
      'The measuring place keeps its name, its history and its settings; another logger measures there.',
    said: 'The logger is replaced: readings of the new one are stored from now on.',
    adds,
  },
  archiveAsset: {
    ...ofDevice,
    title: 'Archive',
    submit: 'Archive the device',
    question:
      'The device leaves the fleet, its alerts end, and its readings are refused from now on. Its history stays under Fleet, Archived devices. It cannot be put back: its logger can be registered again from there, as a new device without this history.',
    isDanger: true,
    next: () => '/operator/fleet',
    said: 'The device is archived.',
  },
  issueDeviceToken: {
    ...ofDevice,
    title: 'New device token',
    submit: 'Make a token',
    question: 'The token is good for this logger alone. An earlier one works for 24 more hours.',
    said: 'The token is made.',
    reveals: { field: 'token', label: 'Device token', advice: 'Store it in the logger.' },
  },
  deleteDeviceToken: {
    ...ofDevice,
    title: 'Delete device tokens',
    submit: 'Delete the tokens',
    question: 'Tokens of this logger are refused from now on.',
    isDanger: true,
    said: 'The tokens of the device are deleted.',
  },
  uploadCalibrationCertificate: {
    ...ofDevice,
    title: 'Upload a calibration certificate',
    submit: 'Upload',
    question: 'The file belongs to the logger that is there now, in place of the one before.',
    file: { label: 'PDF, at most 10 MiB', accept: '.pdf,application/pdf' },
    said: 'The certificate is stored.',
  },
  muteAsset: {
    ...ofDevice,
    title: 'Maintenance',
    submit: 'Save the maintenance',
    question:
      'Until the maintenance ends, alerts of this device open as always, and nobody is notified. It takes the place of one that runs or is planned.',
    looks: MUTE_LOOKS,
    said: 'The maintenance is saved.',
  },
  unmuteAsset: {
    ...ofDevice,
    title: 'End the maintenance',
    submit: 'End the maintenance',
    question: 'Channels are notified at once of alerts that are open. A planned one does not begin.',
    said: 'The maintenance is over.',
  },
  withdrawDeviceConfig: {
    title: 'Withdraw pending settings',
    submit: 'Withdraw all that is pending',
    section,
    about: {
      operation: 'getDeviceConfig',
      name: ({ assetName, serialNumber }) => about.name({ name: assetName, serialNumber }),
    },
    question: 'All pending settings are taken out, refused ones too. The settings in force stay.',
    isDanger: true,
    back: ({ serial = '' }) => `/operator/fleet?q=${encodeURIComponent(serial)}`,
    said: 'The pending settings are withdrawn.',
  },
  removeUnregisteredDevice: {
    title: 'Forget a serial number',
    submit: 'Forget',
    section,
    about: { name: (_, { serial = '' }) => serial },
    question: 'The serial number leaves the list until it sends again.',
    back: () => '/operator/unregistered',
    said: 'The serial number is off the list, until it sends again.',
  },
} satisfies Record<string, FormLayout>;
