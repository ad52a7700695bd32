/** What can be told from a logger's firmware. */
const RULES_OF_16_SINCE = [7, 2];

/** Rules that the firmware holds: "07.02" and later 16, earlier 12 (Efento proto_config_rule.proto); null for no version. */
export function ruleSlotsOf(softwareVersion: string): 12 | 16 | null {
  const [major, minor] = softwareVersion.split('.').map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major + minor)) return null;
  const [sinceMajor, sinceMinor] = RULES_OF_16_SINCE as [number, number];
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor) ? 16 : 12;
}
