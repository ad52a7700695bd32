/** Sets variables of this process, which runs other test files afterwards. Returns a function that restores them. */
export function setEnvironment(values: Record<string, string>): () => void {
  const saved = Object.keys(values).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}
