// The arithmetic of networks as a table of functions, one table per tier of processor. Every function computes each row
// of a batch in the same order whatever the number of rows, so a row's result does not depend on what else is in the
// batch.
//
// Layouts, all float32, all starting on 64 bytes:
//   rows     [rows][stride]; stride is a multiple of 16 and the columns beyond the real width are zero
//   panels   a weight matrix [in][out]: 64 columns at a time, the last panel narrower but a multiple of 16; panel p
//            starts at 64 * p * in, and its row is as long as the panel is wide
//   dots     a weight matrix [out][in padded to 16], for layers at most kDotWidth wide
#pragma once

#include <cstddef>

namespace spar::nn {

inline constexpr size_t kLane = 16;     ///< widths are padded to a multiple of this
inline constexpr size_t kPanel = 64;    ///< columns of a full panel
inline constexpr size_t kDotWidth = 4;  ///< output layers up to this width use dot products

inline constexpr size_t kSquareBlock = 4096;  ///< numbers whose squares are summed in float

constexpr size_t padded(size_t width) { return (width + kLane - 1) / kLane * kLane; }

/// What becomes of a product that is a gradient; those of parameters know the first two.
enum class Into {
  store,  ///< overwrite
  add,    ///< add to what is there
  relu,   ///< overwrite, zero where the activation is not positive
  tanh,   ///< overwrite, times 1 - activation^2
};

/// One pass over flat vectors: g *= scale; Adam (Kingma & Ba 2015) with bias correction; target += tau * (p - target)
/// if there is a target.
struct AdamPass {
  float *p, *m, *v;
  const float* g;
  float* target;                     ///< or nullptr
  size_t n;                          ///< multiple of kLane
  float scale;                       ///< of the gradient
  float beta1, rest1, beta2, rest2;  ///< rest = 1 - beta
  float step;                        ///< lr / (1 - beta1^t)
  float root;                        ///< 1 / sqrt(1 - beta2^t)
  float eps, tau;
};

struct Kernels {
  const char* name;

  /// y[rows][out] = x[rows][in] * w + b, then max(., 0) if relu. w in panels; strides in floats.
  void (*linear)(size_t rows, size_t in, size_t out, const float* x, size_t x_stride, const float* w, const float* b,
                 float* y, size_t y_stride, bool relu);
  /// dx[rows][in padded] = dy[rows][out] * wt, wt being w transposed, in panels of `out` rows.
  void (*input_gradient)(size_t rows, size_t in, size_t out, const float* dy, size_t dy_stride, const float* wt,
                         float* dx, size_t dx_stride, Into into, const float* activation, size_t activation_stride);
  /// gw = or += x^T dy for the inputs [from, end); with input 0 comes gb = or += column sums of dy.
  void (*weight_gradient)(size_t rows, size_t in, size_t out, const float* x, size_t x_stride, const float* dy,
                          size_t dy_stride, float* gw, float* gb, Into into, size_t from, size_t end);
  /// wt = w transposed, both in panels.
  void (*transpose)(size_t in, size_t out, const float* w, float* wt);

  /// The same three for layers in dots; out is 1..kDotWidth, y and dy are compact [rows][out].
  void (*dots)(size_t rows, size_t in, size_t out, const float* x, size_t x_stride, const float* w, const float* b,
               float* y);
  void (*dots_input_gradient)(size_t rows, size_t in, size_t out, const float* dy, const float* w, float* dx,
                              size_t dx_stride, Into into, const float* activation, size_t activation_stride);
  void (*dots_weight_gradient)(size_t rows, size_t in, size_t out, const float* x, size_t x_stride, const float* dy,
                               float* gw, float* gb, Into into);

  /// n is any number for the element-wise functions below.
  void (*tanh)(size_t n, float* x);                             ///< x = tanh(x), error below 4e-7 relative
  void (*tanh_derivative)(size_t n, const float* y, float* d);  ///< d *= 1 - y^2
  void (*relu_derivative)(size_t n, const float* y, float* d);  ///< d = 0 where y <= 0
  void (*add)(size_t n, const float* x, float* y);              ///< y += x
  double (*square_sum)(size_t n, const float* x);  ///< n a multiple of kLane; blocks from the first number on
  void (*adam)(const AdamPass&);
  void (*blend)(size_t n, float* dst, const float* src, float tau);  ///< dst += tau * (src - dst)

  /// Dueling heads, atom by atom: y[r][i][j] = v[r][j] - sum_i a[r][i][j] / actions + a[r][i][j]; y is at any address.
  void (*duel)(size_t rows, size_t actions, size_t atoms, const float* v, size_t v_stride, const float* a,
               size_t a_stride, void* y, size_t y_stride);
  /// Its backward from dy, at any address: dv[r][j] = sum_i dy[r][i][j] and da[r][i][j] = dy[r][i][j] - dv[r][j] /
  /// actions; the columns up to the strides of dv and da become 0.
  void (*duel_value_gradient)(size_t rows, size_t actions, size_t atoms, const void* dy, size_t dy_stride, float* dv,
                              size_t dv_stride);
  void (*duel_advantage_gradient)(size_t rows, size_t actions, size_t atoms, const void* dy, size_t dy_stride,
                                  float* da, size_t da_stride);

  /// y[r] = or += x[r], rows of n numbers, n a multiple of kLane.
  void (*move_rows)(size_t rows, size_t n, const float* x, size_t x_stride, float* y, size_t y_stride, Into into);

  /// Noisy layers: compact rows of n numbers, n a multiple of kLane, each with its factor.
  /// y[r] = mu[r] + sigma[r] * (factor[r] * noise); y alone has a stride.
  void (*perturb)(size_t rows, size_t n, const float* mu, const float* sigma, const float* factor, const float* noise,
                  float* y, size_t y_stride);
  /// From g, the gradient of y: dmu[r] += g[r], dsigma[r] += g[r] * (factor[r] * noise). To be stored, dmu holds g,
  /// which is not read, and only dsigma is written.
  void (*perturb_gradient)(size_t rows, size_t n, const float* g, const float* factor, const float* noise, float* dmu,
                           float* dsigma, Into into);
};

}  // namespace spar::nn
