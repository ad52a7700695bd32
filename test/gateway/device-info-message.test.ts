/** Decoding and encoding of device info and of the time. */
import assert from 'node:assert/strict';
import { encodeDeviceInfo } from '../../dev/simulator/logger-messages.ts';
import { type DeviceInfo, decodeDeviceInfo, emptyModem } from '../../src/gateway/device-info-message.ts';
import { encodeTime } from '../../src/gateway/gateway-routes.ts';
import { MalformedMessage } from '../../src/gateway/wire-format.ts';

const bytesOf = (hex: string) => Buffer.from(hex, 'hex');
const info: DeviceInfo = {
  serialNumber: '282C02424EED',
  cloudToken: 'dev_0123456789012345678901234567890',
  softwareVersion: '06.10',
  batteryMillivolts: 3600,
  modem: {
    rsrpDbm: -101,
    rsrqDb: -12,
    rssiDbm: -87,
    sinrDb: 0,
    band: 20,
    ecl: 0,
  },
};

describe('Device info', () => {
  it('decodes to the encoded value', () => {
    assert.deepEqual(decodeDeviceInfo(encodeDeviceInfo(info)), info);
    const empty: DeviceInfo = {
      serialNumber: '282C02424EED',
      cloudToken: null,
      softwareVersion: null,
      batteryMillivolts: null,
      modem: emptyModem(),
    };
    assert.deepEqual(decodeDeviceInfo(encodeDeviceInfo(empty)), empty);
  });

  it('decodes 1546 as software 06.10, and 65535 mV as an unknown battery voltage', () => {
    const { softwareVersion, batteryMillivolts } = decodeDeviceInfo(
      bytesOf('0a06282c02424eed188a0c6a0420ffff03'),
    );
    assert.deepEqual([softwareVersion, batteryMillivolts], ['06.10', null]);
  });

  it('reads the radio values by their index among the parameters, unknown ones as null', () => {
    // Zigzag: four unknown, RSRP -101, RSRQ -12, RSSI 0 (unknown), SINR 31 (unknown), band 20, TAC, ECL 1.
    const modem = '0804120c 01010101 c901 17 00 3e 28 01 02'.replaceAll(' ', '');
    const hex = `0a06282c02424eed72${(modem.length / 2).toString(16).padStart(2, '0')}${modem}`;
    assert.deepEqual(decodeDeviceInfo(bytesOf(hex)).modem, {
      ...emptyModem(),
      rsrpDbm: -101,
      rsrqDb: -12,
      band: 20,
      ecl: 1,
    });
  });

  it('refuses device info without a serial number, or cut off', () => {
    assert.throws(() => decodeDeviceInfo(bytesOf('188a0c')), MalformedMessage);
    assert.throws(() => decodeDeviceInfo(encodeDeviceInfo(info).subarray(0, -9)), MalformedMessage);
  });
});

describe('The answer with the time', () => {
  it('encodes the unix seconds in 4 bytes, big-endian', () => {
    const bytes = encodeTime(new Date('2026-01-01T00:00:00.900Z'));
    assert.equal(Buffer.from(bytes).toString('hex'), '6955b900');
  });
});
