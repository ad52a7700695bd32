/**
 * The mean kinetic temperature: the one temperature that, held all the time, would do as much harm as the
 * measured temperatures.
 *
 *     T = (ΔH / R) / -ln( (e^(-ΔH / (R·T1)) + … + e^(-ΔH / (R·Tn))) / n )     in kelvin
 *
 * ΔH, the activation energy, is 83.144 kJ/mol, and R, the gas constant, 8.3144e-3 kJ/(mol·K). Source: United
 * States Pharmacopeia, general chapter <1079.2> "Mean Kinetic Temperature in the Evaluation of Temperature
 * Excursions During Storage and Transportation of Drug Products", after J. D. Haynes, J. Pharm. Sci. 60
 * (1971), 927. Every sample has the same weight.
 */
const ACTIVATION_ENERGY = 83.144;
const GAS_CONSTANT = 8.3144e-3;
const RATIO = ACTIVATION_ENERGY / GAS_CONSTANT;
const ZERO_CELSIUS = 273.15;
/** A sensor may report absolute zero, where the formula has no value. */
const KELVIN_MIN = 0.01;

/**
 * Sum and result are kept relative to the warmest sample: otherwise every term of very cold samples would be
 * zero, and the result of equal samples would not be exactly that temperature.
 */
export function createKineticMean() {
  let count = 0;
  let warmest = Number.NEGATIVE_INFINITY;
  let sum = 0;
  return {
    /** °C */
    add(celsius: number): void {
      count++;
      if (celsius > warmest) {
        sum = sum * Math.exp(exponentOf(warmest) - exponentOf(celsius)) + 1;
        warmest = celsius;
      } else {
        sum += Math.exp(exponentOf(celsius) - exponentOf(warmest));
      }
    },
    /** °C; null without samples. */
    result(): number | null {
      if (count === 0) return null;
      const share = (-Math.log(sum / count) * toKelvin(warmest)) / RATIO;
      return warmest - (toKelvin(warmest) * share) / (1 + share);
    },
  };
}

const toKelvin = (celsius: number): number => Math.max(KELVIN_MIN, celsius + ZERO_CELSIUS);

const exponentOf = (celsius: number): number =>
  celsius === Number.NEGATIVE_INFINITY ? celsius : -RATIO / toKelvin(celsius);
