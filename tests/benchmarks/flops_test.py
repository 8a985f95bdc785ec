import tensorflow.compat.v1 as tf

from benchmarks.flops import count_flops


def test_only_dependencies_are_counted():
    with tf.Graph().as_default():
        x, weights = tf.ones([3, 4]), tf.ones([4, 5])
        images, kernel = tf.ones([2, 8, 8, 3]), tf.ones([3, 3, 3, 7])
        product = tf.matmul(x, weights)
        features = tf.nn.conv2d(images, kernel, strides=1, padding='SAME')
        tf.matmul(product, tf.ones([5, 9]))
        assert count_flops(product.op) == {'MatMul': 2 * 3 * 4 * 5}
        both = count_flops(tf.group(product, features))
        of_convolution = 2 * (2 * 8 * 8) * (3 * 3 * 3) * 7
        assert both == {'MatMul': 2 * 3 * 4 * 5, 'Conv2D': of_convolution}
        gradient = tf.gradients(features, kernel)[0]
        assert count_flops(gradient.op) == {'Conv2DBackpropFilter': of_convolution}
