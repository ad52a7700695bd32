const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Text of others, such as the response of a receiver, without characters that steer a terminal. */
export const toTerminalText = (text: string): string => text.replace(CONTROLS, '�');
